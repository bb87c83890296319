// Decorators need a compiler, so they are applied by hand here; Nest sees the same metadata.
import "reflect-metadata";
import { Body, Controller, Get, Header, HttpCode, Module, Param, Post, Query } from "@nestjs/common";

class Benchmark {
  hi(): string {
    return "hi";
  }

  id(id: string, name = ""): string {
    return `${id} ${name}`;
  }

  json(body: unknown): unknown {
    return body;
  }
}

/** Applies decorators to a method of Benchmark. */
function decorate(method: "hi" | "id" | "json", decorators: MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(Benchmark.prototype, method);
  if (!descriptor) throw new Error(`Benchmark has no method ${method}; correct the name`);
  for (const decorator of decorators) decorator(Benchmark.prototype, method, descriptor);
}

Controller()(Benchmark);
decorate("hi", [Get("/"), Header("content-type", "text/plain")]);
decorate("id", [Get("/id/:id"), Header("content-type", "text/plain"), Header("x-powered-by", "benchmark")]);
decorate("json", [Post("/json"), HttpCode(200)]);
Param("id")(Benchmark.prototype, "id", 0);
Query("name")(Benchmark.prototype, "id", 1);
Body()(Benchmark.prototype, "json", 0);

/** The contract httpbasic on Nest, for every HTTP adapter. */
export class BenchmarkModule {}

Module({ controllers: [Benchmark] })(BenchmarkModule);
