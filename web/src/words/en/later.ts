// The words of what is loaded later, in English.
import { account, acting, connectors, mcp, people, signIn } from "./acting";
import { insight, room, rules } from "./hub";
import { model } from "./model";

export const later = { account, acting, connectors, insight, mcp, model, people, room, rules, signIn };
