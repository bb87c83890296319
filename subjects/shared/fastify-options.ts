/** Fastify refuses parameters of more than 100 characters, unless it is told that they are expected. */
export const routerOptions = { maxParamLength: 1000 };
