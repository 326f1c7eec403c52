// What making a channel says, and who may join one.
export const channelForm = {
  channelName: "Name",
  channelNameHint: "A short name you will recognise, such as Kaffeehaus GmbH",
  channelKind: "Kind",
  kindGroup: "Group",
  kindDm: "Direct",
  kindMeaning: (kind: "dm" | "group"): string => (kind === "dm" ? "You and one other" : "Any number of members"),
  channelTier: "Who is it for",
  channelBrief: "What is it for",
  channelBriefHint: "Told to everyone in the channel. You can leave it empty.",
  newAgent: "Somebody new",
  agentThinks: "Works with",
  agentBy: {
    llm_generic: "The engine that Prime has",
    claude_code: "Claude Code on this machine",
    echo: "Nothing: repeats what is said, for trying out",
  } as Readonly<Record<"llm_generic" | "claude_code" | "echo", string>>,
  addAgent: "Add",
  channelMembers: "Members",
  create: "Make the channel",
  creating: "Making it",
  nameMissing: "Give it a name.",
};
