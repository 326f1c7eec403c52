// Words of notices on this device.
export const push = {
  title: "Notifications",
  note: "When a question waits for you, or the work has stopped.",
  turnOn: "Tell this browser",
  turnOff: "Stop telling this browser",
  notSupported: "This browser has no notifications, or this page is not on https or localhost.",
  notAllowed: "The browser does not allow notifications from this page.",
  notAllowedHint: "Allow them in the browser's settings for this page, then try again.",
  noService: "The browser could not reach its notification service.",
  noServiceHint: "A private window has none, and some networks block it. Try again in a normal window, or elsewhere.",
  since: (time: string) => `Since ${time}.`,
  lastSent: (time: string) => `Last told ${time}.`,
  failures: (n: number) => (n === 1 ? "Could not be reached once." : `Could not be reached ${n} times.`),
  forget: "Forget",
  test: "Send a test",
  tested: (n: number) => (n === 1 ? "Sent to one device. It shows there in a moment." : `Sent to ${n} devices. It shows there in a moment.`),
  notReached: (n: number) =>
    `${n === 1 ? "One device" : `${n} devices`} could not be reached: the notification service did not take it. See whether this computer is online, or turn it off and on again in that browser.`,
  gone: (n: number) => (n === 1 ? "One device takes no notifications any more and was removed." : `${n} devices take no notifications any more and were removed.`),
  noDevices: "No device is told yet",
  noDevicesHint: "Turn it on in each browser where you want to be told.",
};
