// Adonis. Its configuration stands here instead of in config/*.ts, so that nothing has to be built.
// HOST and PORT say where; SIGTERM stops it.
import { Ignitor } from "@adonisjs/core";
import { defineConfig as bodyParser } from "@adonisjs/core/bodyparser";
import { drivers, defineConfig as encryption } from "@adonisjs/core/encryption";
import { defineConfig as http } from "@adonisjs/core/http";
import { defineConfig as logger } from "@adonisjs/core/logger";
import { begin } from "../shared/begin.js";

begin();

const config = {
  app: { http: http({}) },
  bodyparser: bodyParser({
    allowedMethods: ["POST"],
    json: { convertEmptyStringsToNull: false, trimWhitespaces: false }, // the answer must be what was sent
  }),
  encryption: encryption({
    default: "gcm",
    list: { gcm: drivers.aes256gcm({ id: "gcm", keys: ["not-a-secret-nothing-is-encrypted"] }) },
  }),
  logger: logger({ default: "app", loggers: { app: { enabled: false } } }),
};

/** Registers the routes, as start/routes.ts would. */
async function routes(app) {
  const router = await app.container.make("router");
  const server = await app.container.make("server");

  router.use([() => import("@adonisjs/core/bodyparser_middleware")]);

  router.get("/", ({ response }) => response.type("text").send("hi"));

  router.get("/id/:id", ({ params, request, response }) => {
    response.header("x-powered-by", "benchmark");
    return response.type("text").send(`${params.id} ${request.input("name", "")}`);
  });

  router.post("/json", ({ request, response }) => response.json(request.body()));

  server.errorHandler(() => import("./errors.js"));
}

await new Ignitor(new URL("./", import.meta.url), { importer: (path) => import(path) })
  .tap((app) => {
    app.rcContents({ providers: [() => import("@adonisjs/core/providers/app_provider")] });
    app.useConfig(config);
    app.booted(() => routes(app));
  })
  .httpServer()
  .start();
