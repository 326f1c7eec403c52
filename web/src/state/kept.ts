// What this browser remembers between visits. Storage may be full or forbidden: then the page just remembers less.
const PREFIX = "prime:";

export const kept = {
  read(name: string): string | null {
    try {
      return localStorage.getItem(PREFIX + name);
    } catch {
      return null;
    }
  },
  write(name: string, value: string): void {
    try {
      if (value) localStorage.setItem(PREFIX + name, value);
      else localStorage.removeItem(PREFIX + name);
    } catch {
      // Nothing to do about it, and nothing is lost that the server has.
    }
  },
};

export function readJson<T>(name: string, otherwise: T): T {
  try {
    return (JSON.parse(kept.read(name) ?? "null") as T | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}
