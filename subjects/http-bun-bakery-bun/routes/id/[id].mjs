export async function GET(ctx) {
  try {
    const name = ctx.url.searchParams.get("name") ?? "";
    ctx.text(`${decodeURIComponent(ctx.params.id)} ${name}`, { headers: { "x-powered-by": "benchmark" } });
  } catch {
    ctx.text("malformed escape in the path", { status: 400 });
  }
}
