// What a publication will put into the world, file by file, exactly as it will leave.
import type { JSX } from "preact";
import { gateApi, type Draft, type LeavingFile, type TakenOut } from "../api/gate";
import { fileUrl } from "../state/files";
import { useRead } from "../state/useRead";
import { words } from "../words";
import { fileSize } from "../words/format";
import { Shown } from "./View";

function Sentences({ title, found }: { title: string; found: readonly TakenOut[] }): JSX.Element | null {
  if (found.length === 0) return null;
  return (
    <>
      <p class="soft">{title}</p>
      <ul class="taken-out">
        {found.map(({ sentence }, at) => (
          <li key={at}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}

function File({ file }: { file: LeavingFile }): JSX.Element {
  const t = words().publish;
  return (
    <details class="leaving">
      <summary>
        <span class="break">{file.path}</span> <small>{fileSize(file.size)}</small>
        {(file.redacted || file.removed.length > 0) && <small class="badge plain">{t.cleaned}</small>}
      </summary>
      {file.text !== null && <pre>{file.text}</pre>}
      {file.redacted && <p class="soft">{t.redacted}</p>}
      <Sentences title={t.removed} found={file.removed} />
      <Sentences title={t.doubts} found={file.doubts} />
      <a href={fileUrl(file.attachmentId)} target="_blank" rel="noopener">
        {t.openFile}
      </a>
    </details>
  );
}

export function Leaving({ draft }: { draft: Draft }): JSX.Element {
  const { now, again } = useRead(() => gateApi.preview(draft.id), draft.id);
  return (
    <section aria-label={words().publish.leaves}>
      <Shown now={now} again={() => void again()}>
        {({ files }) => files.map((file) => <File key={file.path} file={file} />)}
      </Shown>
    </section>
  );
}
