export { type Address, addressFrom } from "./begin.js";
