/**
 * Consumed is what a consume function leaves besides the value that it returns. One is made once and
 * passed to every call: a function that returned an object of both would make garbage for each value.
 *
 *     const got = new Consumed();
 *     const port = consumeVarInt(got, bytes, at);
 *     if (got.n > 0) at += got.n;
 */
export class Consumed {
  /**
   * The bytes read; 0 when the input ends inside the value; -ERR_… when no further bytes could make it
   * good. parseError turns it into an error.
   */
  n = 0;
  /** The upper half of a 64-bit value that was read as parts, as a signed 32-bit integer. */
  hi = 0;
  /** The lower half, as a signed 32-bit integer: >>> 0 gives its unsigned value. */
  lo = 0;
}
