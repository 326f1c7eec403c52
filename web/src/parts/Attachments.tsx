// The files of a message: pictures as pictures, the rest by name.
import type { JSX } from "preact";
import { fileOf, fileUrl } from "../state/files";
import { words } from "../words";
import { fileSize } from "../words/format";
import { Icon } from "./Icon";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function File({ id }: { id: string }): JSX.Element {
  const file = fileOf(id);
  if (file && PICTURES.has(file.mimeType)) {
    return (
      <a class="picture" href={fileUrl(id)} target="_blank" rel="noopener">
        <img src={fileUrl(id)} alt={file.name} loading="lazy" />
      </a>
    );
  }
  return (
    <a class="file" href={fileUrl(id)} target="_blank" rel="noopener">
      <Icon name="file" size={18} />
      <span>{file?.name ?? words().file}</span>
      {file && <small>{fileSize(file.size)}</small>}
    </a>
  );
}

export function Attachments({ ids }: { ids: readonly string[] }): JSX.Element | null {
  if (ids.length === 0) return null;
  return (
    <ul class="files" aria-label={words().attachments}>
      {ids.map((id) => (
        <li key={id}>
          <File id={id} />
        </li>
      ))}
    </ul>
  );
}
