// What the curves of the insight add up from what happened in each step.
export const HOUR = 60 * 60_000;

/** How much it was in all by the end of each step, where it is this much in all now: what was before the first step counts, too. */
export function sumsUpTo(total: number, values: readonly number[]): number[] {
  let sum = Math.max(0, total - values.reduce((before, value) => before + value, 0));
  return values.map((value) => (sum += value));
}

/** Questions of the hour that ends with each step, so that a quiet minute is not mistaken for a quiet hour. */
export function hourly(asked: readonly number[], stepMs: number): number[] {
  const steps = Math.max(1, Math.round(HOUR / stepMs));
  return asked.map((_, index) => {
    const hour = asked.slice(Math.max(0, index + 1 - steps), index + 1).reduce((sum, value) => sum + value, 0);
    return stepMs > HOUR ? (hour * HOUR) / stepMs : hour;
  });
}
