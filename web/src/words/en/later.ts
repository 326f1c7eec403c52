// The words of what is loaded later, in English.
import { account, acting, connectors, mcp, people, signIn } from "./acting";
import { channelForm } from "./channels";
import { insight, room, rules } from "./hub";
import { keyList } from "./keys";
import { model } from "./model";

export const later = { ...channelForm, ...keyList, account, acting, connectors, insight, mcp, model, people, room, rules, signIn };
