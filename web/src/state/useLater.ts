// A value that follows another one as soon as the person pauses.
import { useEffect, useState } from "preact/hooks";

export function useLater<T>(value: T, pause = 160): T {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return later;
}
