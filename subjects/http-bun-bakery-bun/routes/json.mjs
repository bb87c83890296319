export async function POST(ctx) {
  try {
    ctx.json(await ctx.request.json());
  } catch {
    ctx.text("malformed JSON", { status: 400 });
  }
}
