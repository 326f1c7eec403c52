// The words of what is loaded later, in English.
import { account, acting, connectors, mcp, people, signIn } from "./acting";
import { channelForm } from "./channels";
import { insight, room, rules } from "./hub";
import { keyList } from "./keys";
import { model } from "./model";
import { network } from "./network";
import { policy } from "./policy";
import { push } from "./push";
import { recall } from "./recall";
import { settings } from "./settings";

export const later = {
  ...channelForm,
  ...keyList,
  account,
  acting,
  connectors,
  insight,
  mcp,
  model,
  network,
  people,
  policy,
  push,
  recall,
  room,
  rules,
  settings,
  signIn,
};
