import { appendUint8, consumeUint8 } from "./fixed.ts";

/** A direction in steps of 1/256 of a full turn, 0 to 255. */
export type Angle = number;

/** Returns the step nearest to an angle in degrees, of any number of turns. */
export function angleOf(degrees: number): Angle {
  const steps = ((degrees % 360) * 256) / 360;
  // Math.round breaks ties upwards, not away from zero, and the two languages must agree.
  return (steps < 0 ? -Math.round(-steps) : Math.round(steps)) & 0xff;
}

/** Returns the angle in degrees, from 0 up to but not including 360. */
export function angleDegrees(angle: Angle): number {
  return (angle * 360) / 256;
}

/** Appends one byte. */
export const appendAngle = appendUint8;

/** Reads one byte. n is 0 when there is none. */
export const consumeAngle = consumeUint8;
