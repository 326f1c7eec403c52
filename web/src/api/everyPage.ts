// Lists that a person sees whole, read page by page.
import type { Page } from "./types";

/** All pages, however many. A place that comes again ends it, so that a confused server cannot keep us here. */
export async function everyPage<T>(read: (cursor?: string | null) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read(cursor);
    items.push(...page.items);
    if (cursor) seen.add(cursor);
    cursor = page.nextCursor;
  } while (cursor && !seen.has(cursor));
  return items;
}
