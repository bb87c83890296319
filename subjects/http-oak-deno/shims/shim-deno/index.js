// The Deno that oak's npm build uses is the one that it runs on.
export const { Deno } = globalThis;

// oak takes whatever has a process and a global for Node, and Deno has both since version 2. What is
// loaded after this file sees no global, so that oak serves on Deno.serve.
delete globalThis.global;
