// Tools: the catalog, one tool, what was approved for always, servers and clients.
import type { JSX } from "preact";
import { rest } from "../state/place";
import { BatchPage } from "./tools/BatchPage";
import { ToolPage } from "./tools/ToolPage";
import { Catalog } from "./tools/Catalog";
import { PolicyPage } from "./tools/PolicyPage";
import { Servers } from "./tools/Servers";
import { StandingApprovals } from "./tools/StandingApprovals";
import { Tokens } from "./tools/Tokens";

export default function Tools(): JSX.Element {
  const [first, second] = rest.value;
  if (first === "t" && second) return <ToolPage key={second} name={second} />;
  if (first === "approved") return <StandingApprovals />;
  if (first === "policy") return <PolicyPage />;
  if (first === "servers") return <Servers />;
  if (first === "clients") return <Tokens />;
  if (first === "batch") return <BatchPage />;
  return <Catalog />;
}
