// What is heard about MCP servers while a view shows them.
import { useEffect, useRef } from "preact/hooks";
import type { Server } from "../api/mcp";

type Hear = (server: Server) => void;

const followers = new Set<Hear>();

export function hearServer(server: Server): void {
  for (const each of followers) each(server);
}

/** Calls `hear` with every change for as long as the view is open. */
export function useServerNews(hear: Hear): void {
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(() => {
    const follow: Hear = (server) => latest.current(server);
    followers.add(follow);
    return () => void followers.delete(follow);
  }, []);
}
