// The list of keys, in English.
export const keyList = {
  shortcutsIntro: "Single keys work whenever you are not typing.",
  shortcutsOn: "Use single-key shortcuts",
  keys: {
    palette: "Find a channel, a place or an action",
    help: "This list",
    compose: "Write a message",
    next: "Next of what waits for you",
    previous: "Previous of what waits for you",
    choose: "Choose a suggested answer",
    chooseAndSend: "Choose and send at once",
    reply: "Answer in your own words",
    done: "Send the answer, or approve the draft",
    recall: "Recall",
    channelDown: "Next channel",
    channelUp: "Previous channel",
    newChannel: "New channel",
    messages: "In a conversation: the message above; Tab leads to what can be done with it",
    close: "Close, or leave the text field",
  },
};
