// Words of notices on this device.
export const push = {
  title: "Notifications",
  note: "When a question waits for you, or the work has stopped.",
  turnOn: "Tell this browser",
  turnOff: "Stop telling this browser",
  notSupported: "This browser has no notifications, or this page is not on https or localhost.",
  notAllowed: "The browser does not allow notifications from this page.",
  notAllowedHint: "Allow them in the browser's settings for this page, then try again.",
  since: (time: string) => `Since ${time}.`,
  lastSent: (time: string) => `Last told ${time}.`,
  failures: (n: number) => (n === 1 ? "Could not be reached once." : `Could not be reached ${n} times.`),
  forget: "Forget",
  test: "Send a test",
  tested: (sent: number, failed: number) => (failed ? `Sent to ${sent}, ${failed} could not be reached.` : `Sent to ${sent}.`),
  noDevices: "No device is told yet",
  noDevicesHint: "Turn it on in each browser where you want to be told.",
};
