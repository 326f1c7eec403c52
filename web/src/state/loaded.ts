// A thing that comes from the server: not here yet, here, or failed.
import type { Trouble } from "../api/client";

export type Loaded<T> = { state: "loading" } | { state: "ready"; value: T } | { state: "failed"; trouble: Trouble };

export const loading: Loaded<never> = { state: "loading" };
export const ready = <T>(value: T): Loaded<T> => ({ state: "ready", value });
export const failed = (trouble: Trouble): Loaded<never> => ({ state: "failed", trouble });

export const valueOr = <T>(loaded: Loaded<T>, otherwise: T): T => (loaded.state === "ready" ? loaded.value : otherwise);
