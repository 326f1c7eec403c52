// As much of Node's own test runner as the tests use.
declare module "node:test" {
  export const test: (name: string, run: () => void | Promise<void>) => void;
  export const beforeEach: (run: () => void) => void;
}

declare module "node:assert/strict" {
  const assert: { equal(given: unknown, wanted: unknown): void; deepEqual(given: unknown, wanted: unknown): void };
  export default assert;
}
