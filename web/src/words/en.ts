// Every word of the page, in English. The Chinese catalogue has the same shape; the compiler checks it.
import type { Tier } from "../api/types";

const count = (n: number, one: string, many: string): string => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export const en = {
  name: "English",
  locale: "en-GB",
  prime: "Prime",
  you: "You",
  unknownActor: "Someone",
  skip: "Skip to the conversation",

  running: "Running",
  paused: "Paused",
  pausedBecause: (why: string) => `Paused: ${why}`,
  connecting: "Connecting",
  reconnecting: "Reconnecting",
  reconnected: "Connected again",
  calls: "Calls",
  callsOf: (used: string, cap: string) => `${used} of ${cap}`,
  callsUsed: (used: string) => `${used} used, no cap`,
  offlineEngine: "Offline engine",
  modelUnknown: "No model",
  autonomy: (mode: string) =>
    ({ draft: "Drafts wait for you", auto_learned: "Sends what you have approved before", full: "Sends by itself" })[mode] ?? mode,
  openChip: "Open",
  anything: "anything",
  openPalette: "Find anything",
  close: "Close",
  dismiss: "Hide",
  retry: "Try again",
  cancel: "Cancel",

  openBanner: "Open: every program on this computer can act as you here.",
  openStep: "To close it, set PRIME_OWNER_EMAIL to your address and start Prime again.",

  channels: "Channels",
  yourRoom: "Your room",
  newChannel: "New channel",
  noChannels: "Channels appear here when Prime opens one for a part of your work. You can also make one yourself.",
  tier: (tier: Tier) => ({ team: "Team", business_relation: "Business relation", external: "External" })[tier],
  tierHeading: (tier: Tier) => ({ team: "Team", business_relation: "Business relations", external: "External" })[tier],
  tierMeaning: (tier: Tier) =>
    ({
      team: "Sees the full picture: plans, numbers, what you decided.",
      business_relation: "Sees terms and dates of what you do together, nothing else.",
      external: "Sees only what you would tell a stranger.",
    })[tier],
  unread: (n: number) => count(n, "new message", "new messages"),
  working: "Working",
  workingNames: (names: string) => `${names} is writing`,

  conversation: "Conversation",
  members: (n: number) => count(n, "member", "members"),
  message: (name: string) => `Message ${name}`,
  tellPrime: "Tell Prime what to get done",
  send: "Send",
  composeHint: "Enter sends, Shift and Enter makes a new line",
  composeHintTouch: "Your text is kept until you send it",
  sending: "Sending",
  waitsForConnection: "Will be sent when Prime is back",
  notSent: "Not sent.",
  discard: "Discard",
  loading: "Loading",
  loadingOlder: "Loading older messages",
  beginning: (name: string) => `This is where ${name} begins.`,
  emptyChannel: (name: string) => `Nothing has been said in ${name} yet. What you write here is seen by its members.`,
  newBelow: (n: number) => count(n, "new message", "new messages"),
  toLatest: "To the latest",
  today: "Today",
  yesterday: "Yesterday",
  copy: "Copy",
  copied: "Copied",
  erased: "This message was erased.",
  corrected: "corrected",
  brief: "Brief",
  briefNote: "what this channel was told it is for",
  thought: "Thought",
  plan: "Plan",
  toolCall: "Used a tool",
  toolResult: "Result",
  asked: "Asked you",
  answered: "You answered",
  said: (who: string, what: string) => `${who}: ${what}`,
  channelMissing: "There is no such channel.",
  channelMissingHint: "It may have been closed, or the address is mistyped. Choose another one on the left.",
  messageTooFarBack: "That message is further back than could be loaded. Scroll up to reach it.",
  goHome: "Go to your room",

  firstTitle: "What shall we get done?",
  firstLine: "Say it in a sentence or two. Prime opens a channel for each part, works there, and comes back to you only for what you alone can decide.",
  firstExamples: "Or begin with one of these",
  examples: [
    {
      title: "Launch something",
      text: "We launch a home espresso machine in Germany in March. Find three retail partners, qualify the first leads and get a landing page built. The budget is 5,000.",
    },
    {
      title: "Plan an event",
      text: "Plan a two-day workshop for 25 people in Lisbon in May. Compare three venues, ask two caterers for offers and draft the invitation. Stay below 12,000.",
    },
    {
      title: "Find somebody",
      text: "Find a part-time bookkeeper for a shop of six people. Write the advert, collect candidates, ask each of them the same three questions and show me the best two.",
    },
  ],
  firstOffline: "Prime runs on its offline engine here: no model, no key, nothing leaves this computer.",
  howToConnect: "How to connect a model",

  waiting: "Waiting for you",
  waitingTab: "Waiting",
  chatTab: "Chat",
  whatWaits: "What waits for you",
  nothingWaits: "Nothing waits for you.",
  nothingWaitsMore: "When Prime cannot decide something without you, the question appears here.",
  startSomething: "Tell Prime what to get done",
  feed: "Feed",
  feedSums: (asked: number, settled: number) => `${asked.toLocaleString("en")} asked, ${settled.toLocaleString("en")} settled`,
  settled: "Settled for you.",
  feedEmpty: "What Prime settles for you, and what you should know, appears here.",
  older: "Show older",
  necessity: (n: string) => `necessity ${n}`,
  why: "Why you",
  suggestions: "Suggested answers",
  ownWords: "Or in your own words",
  yourAnswer: "Your answer",
  makeRule: "Make this a rule, so that you are not asked again",
  answer: "Answer",
  answering: "Sending your answer",
  seeMessages: (n: number) => (n === 1 ? "See the message" : `See the ${n} messages`),
  seeSource: "See where it came from",
  approval: "Wants to run",
  yesOnce: "Yes, once",
  no: "No",
  always: "Always",
  alwaysMeans: "Always means this tool with exactly these arguments.",
  answerSent: "Your answer was sent.",
  questionCame: (text: string) => `Prime asks: ${text}`,

  paletteLabel: "Find a channel or an action",
  palettePlaceholder: "Channel or action",
  paletteNothing: "Nothing has that name. Try fewer letters.",
  paletteCount: (n: number) => count(n, "result", "results"),
  goTo: (name: string) => `Go to ${name}`,
  focusCompose: "Write a message",
  goWaiting: "Go to what waits for you",
  themeLight: "Light",
  themeDark: "Dark",
  themeSystem: "As the system",
  theme: "Appearance",
  useTheme: (name: string) => `Appearance: ${name}`,
  language: "Language",
  otherLanguage: "中文",
  useLanguage: (name: string) => `Language: ${name}`,
  actions: "Actions",

  shortcuts: "Keyboard",
  shortcutsIntro: "Single keys work whenever you are not typing.",
  shortcutsOn: "Use single-key shortcuts",
  keys: {
    palette: "Find a channel or an action",
    help: "This list",
    compose: "Write a message",
    next: "Next of what waits for you",
    previous: "Previous of what waits for you",
    choose: "Choose a suggested answer",
    channelDown: "Next channel",
    channelUp: "Previous channel",
    newChannel: "New channel",
    close: "Close, or leave the text field",
  },

  channelName: "Name",
  channelNameHint: "A short name you will recognise, such as Kaffeehaus GmbH",
  channelKind: "Kind",
  kindGroup: "Group",
  kindDm: "Direct",
  kindMeaning: (kind: "dm" | "group"): string => (kind === "dm" ? "You and one other" : "Any number of members"),
  channelTier: "Who is it for",
  channelBrief: "What is it for",
  channelBriefHint: "Told to everyone in the channel. You can leave it empty.",
  channelMembers: "Members",
  create: "Make the channel",
  creating: "Making it",
  nameMissing: "Give it a name.",

  about: "How Prime is running",
  engine: "Engine",
  mode: "Replies in your name",
  version: "Version",
  learned: "Rules learned",
  access: "Access",
  accessOpen: "Open to every program on this computer",
  accessOwner: "Only you, signed in",
  aboutOffline:
    "The offline engine works by rules and templates. It plans, asks and remembers, but it does not write like a language model and does not pretend to.",
  aboutConnect:
    "To connect a model, set one of these before you start Prime: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, or run Ollama. PRIME_MODEL chooses between several. Prime tries it with one call before it uses it.",

  trouble: (code: string, status: number): string => {
    if (code === "unreachable") return "Prime does not answer.";
    if (code === "timed_out") return "Prime took too long to answer.";
    if (status === 401) return "You are not signed in.";
    if (status === 403) return "This is not open to you.";
    if (status === 404) return "This is not here.";
    return "Something went wrong.";
  },
  troubleHint: (code: string, status: number): string => {
    if (code === "unreachable") return "Check that it is still running where you started it. This page reconnects by itself.";
    if (code === "timed_out") return "Try again. If it stays slow, look at the terminal where Prime runs.";
    if (status === 401) return "Open the sign-in link from your mail, then reload this page.";
    if (status >= 500) return "Try again. The terminal where Prime runs says more.";
    return "";
  },
  troubleCode: (code: string) => `Code: ${code}`,
};

export type Words = typeof en;
