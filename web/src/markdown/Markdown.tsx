// Draws Markdown as elements. No HTML is ever put into the page: what looks like HTML is shown as text.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { words } from "../words";
import { CopyButton } from "../parts/CopyButton";
import { readBlocks, type Block, type Item } from "./blocks";
import { follow } from "../state/place";
import { leadsHere, readInline, type Inline } from "./inline";

/** A longer message begins folded: nobody wants a screenful of screenfuls, and the page stays quick. */
const LONG_CHARS = 6_000;
const LONG_LINES = 80;

function InlineText({ text }: { text: string }): JSX.Element {
  return <>{readInline(text).map(drawInline)}</>;
}

function drawInline(piece: Inline): ComponentChildren {
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "break":
      return <br />;
    case "code":
      return <code>{piece.text}</code>;
    case "link":
      return leadsHere(piece.href) ? (
        <a href={piece.href} onClick={follow}>
          {piece.inside.map(drawInline)}
        </a>
      ) : (
        <a href={piece.href} target="_blank" rel="noopener noreferrer">
          {piece.inside.map(drawInline)}
        </a>
      );
    case "strong":
      return <strong>{piece.inside.map(drawInline)}</strong>;
    case "em":
      return <em>{piece.inside.map(drawInline)}</em>;
    case "del":
      return <del>{piece.inside.map(drawInline)}</del>;
  }
}

function CodeBlock({ language, text }: { language: string; text: string }): JSX.Element {
  return (
    <div class="code">
      <div class="code-head">
        <span>{language}</span>
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

function Table({ head, rows }: { head: string[]; rows: string[][] }): JSX.Element {
  return (
    <div class="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th scope="col">
                <InlineText text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td>
                  <InlineText text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ListItem({ item }: { item: Item }): JSX.Element {
  const [only] = item.inside;
  const tight = item.inside.length === 1 && only?.kind === "paragraph" ? only : null;
  const content = tight ? <InlineText text={tight.text} /> : item.inside.map(drawItemBlock);
  if (item.done === null) return <li>{content}</li>;
  return (
    <li class="task">
      <input type="checkbox" checked={item.done} disabled aria-label={tight?.text ?? ""} />
      <div>{content}</div>
    </li>
  );
}

/** A list item's first line stands without a paragraph's space, so that a list with sub-lists stays tight. */
const drawItemBlock = (block: Block, index: number): ComponentChildren =>
  index === 0 && block.kind === "paragraph" ? <InlineText text={block.text} /> : drawBlock(block);

function drawBlock(block: Block): ComponentChildren {
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <InlineText text={block.text} />
        </p>
      );
    case "heading": {
      // The channel's name is the heading above these.
      const Tag = `h${Math.min(block.level + 2, 6)}` as "h3";
      return (
        <Tag>
          <InlineText text={block.text} />
        </Tag>
      );
    }
    case "code":
      return <CodeBlock language={block.language} text={block.text} />;
    case "quote":
      return <blockquote>{block.inside.map(drawBlock)}</blockquote>;
    case "list": {
      const items = block.items.map((item) => <ListItem item={item} />);
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case "table":
      return <Table head={block.head} rows={block.rows} />;
    case "rule":
      return <hr />;
  }
}

const linesOf = (text: string): string[] => text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").split("\n");

function Text({ lines }: { lines: string[] }): JSX.Element {
  return <div class="md">{readBlocks(lines).map(drawBlock)}</div>;
}

/** The beginning of a long text, cut where a line ends if it can be. */
function beginning(text: string): string[] {
  const lines = linesOf(text.slice(0, LONG_CHARS)).slice(0, LONG_LINES);
  return text.length > LONG_CHARS && lines.length > 10 && lines.length < LONG_LINES ? lines.slice(0, -1) : lines;
}

export function Markdown({ text }: { text: string }): JSX.Element {
  const [whole, setWhole] = useState(false);
  const lines = text.length <= LONG_CHARS || whole ? linesOf(text) : null;
  if (lines && (whole || lines.length <= LONG_LINES)) return <Text lines={lines} />;
  return (
    <>
      <Text lines={beginning(text)} />
      <button type="button" class="small show-all" onClick={() => setWhole(true)}>
        {words().showAll(text.length)}
      </button>
    </>
  );
}
