// Files that were dropped, pasted or chosen: each is uploaded at once, so that sending does not wait long.
import { useState } from "preact/hooks";
import { api, asTrouble, type Trouble } from "../api/client";
import { announce } from "../state/announce";
import { knowFile } from "../state/files";
import { words } from "../words";

export interface Upload {
  key: string;
  name: string;
  size: number;
  id: string | null;
  trouble: Trouble | null;
}

export interface Uploads {
  items: readonly Upload[];
  busy: boolean;
  add: (files: Iterable<File>) => void;
  remove: (key: string) => void;
  clear: () => void;
}

export function useUploads(): Uploads {
  const [items, setItems] = useState<readonly Upload[]>([]);
  const change = (key: string, fields: Partial<Upload>): void =>
    setItems((now) => now.map((item) => (item.key === key ? { ...item, ...fields } : item)));
  const upload = async (key: string, file: File): Promise<void> => {
    try {
      const attachment = await api.upload(file);
      knowFile(attachment);
      change(key, { id: attachment.id });
      announce(words().attached(file.name));
    } catch (cause) {
      change(key, { trouble: asTrouble(cause) });
    }
  };
  const add = (files: Iterable<File>): void => {
    for (const file of files) {
      const key = crypto.randomUUID();
      setItems((now) => [...now, { key, name: file.name, size: file.size, id: null, trouble: null }]);
      void upload(key, file);
    }
  };
  return {
    items,
    busy: items.some((item) => !item.id && !item.trouble),
    add,
    remove: (key) => setItems((now) => now.filter((item) => item.key !== key)),
    clear: () => setItems([]),
  };
}
