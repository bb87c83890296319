export async function GET(ctx) {
  ctx.text("hi");
}
