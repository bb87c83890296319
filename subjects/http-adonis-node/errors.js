import { ExceptionHandler } from "@adonisjs/core/http";

/** Answers failed requests (unknown paths, malformed JSON) and reports none of them. */
export default class Errors extends ExceptionHandler {
  debug = false;
  async report() {}
}
