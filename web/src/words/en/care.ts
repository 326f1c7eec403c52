// Words of looking after what Prime keeps: erasing, forgetting, rebuilding, taking dialogs along; and of a channel itself.
const messages = (n: number): string => (n === 1 ? "1 message" : `${n.toLocaleString("en")} messages`);

export const care = {
  erase: "Erase",
  eraseTitle: "Erase this message",
  eraseLead: "Its words and files go for good: from the log, from recall, from facts and summaries. That something was said here stays to be seen. It cannot be undone.",
  eraseWhat: "What goes",
  eraseAll: "The message and its files",
  eraseAllNote: "Nothing of it can be read again.",
  eraseFiles: "The files alone",
  eraseFilesNote: "The message stays, and so does what Prime noted of them.",
  eraseDo: "Erase for good",
  filesGone: "The files are gone.",
  erased: (n: number, backups: number): string =>
    `${messages(n)} erased.${backups === 0 ? "" : backups === 1 ? " One backup still holds what was there; delete it to be rid of it everywhere." : ` ${backups} backups still hold what was there; delete them to be rid of it everywhere.`}`,
  stillIn: "Still in these backups:",

  forgetTitle: "Forget somebody",
  forgetNote: "Erases everything that one person or agent has said or sent, in all channels. Others' words about them stay.",
  who: "Who",
  choose: "Choose somebody",
  looking: "Looking through what was said",
  foundOf: (n: number, name: string): string => (n === 0 ? `Nothing of ${name} is here.` : `${messages(n)} of ${name} would be erased. It cannot be undone.`),
  forgetDo: (n: number): string => `Erase ${messages(n)} for good`,
  sure: (name: string): string => `I want ${name} to be forgotten`,

  rebuildTitle: "Lists and indexes",
  rebuildNote: "Channels, recall, facts and figures are worked out from the log. If one of them seems wrong, they can be worked out anew; nothing is lost, and what was wrong is named.",
  rebuild: "Work them out anew",
  rebuilding: "Working",
  rebuildOf: (name: string, done: string, of: string): string => `${name}: ${done} of ${of}`,
  rebuilt: (repaired: readonly string[], said: string): string =>
    repaired.length === 0 ? `All of it was right (${said} messages read).` : `Put right: ${repaired.join(", ")} (${said} messages read).`,

  dialogs: "Dialogs for training",
  dialogsNote: "Every course of every channel as one line of JSON, in OpenAI's form.",
  dialogsDo: "Export the dialogs",
  redact: "Black out secrets",
  takeAlong: "Download the dialog",

  sealing: "What goes in",
  full: "With the key that opens its secrets",
  fullNote: "Whoever has the file can then read them. Without it, secrets are set again after restoring.",
  passphrase: "Passphrase",
  passphraseNote: "Seals the file. Empty: not sealed.",

  details: "Name and members",
  rename: "Rename",
  renamed: "Renamed.",
  add: "Add somebody",
  letGo: (name: string): string => `Remove ${name}`,
  nobodyElse: "Nobody beside you and Prime.",

  courses: "Courses",
  coursesLead: "A course is one run of this dialog. What was said in another one stays in the log, but a model is not shown it.",
  course: (n: number): string => `Course ${n}`,
  present: "goes on now",
  goOn: "Go on with it",
  wentBack: (n: number): string => `Course ${n} goes on.`,

  putOff: (n: number): string => (n === 1 ? "1 put off" : `${n} put off`),
  comesBack: (time: string): string => `comes back ${time}`,
  change: "Change",

  style: "How it writes as you",
  styleFrom: (n: number): string => `Learned from ${messages(n)} of yours.`,
  noStyle: "Nothing is known yet; it is learned from what you write there.",

  sumUp: "Sum up now",
  summedUp: "Summed up.",
  earlier: "Earlier version",
  later: "The newest version",

  asOf: "As it was known on",
  shape: "Written for",
  shapeName: { openai: "OpenAI", anthropic: "Anthropic", gemini: "Gemini" },
  archive: "Download what has left the context",
};
