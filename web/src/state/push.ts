// Whether this browser is told, and turning that on and off.
import { accountApi, type Device } from "../api/account";
import { Trouble } from "../api/client";
import { kept } from "./kept";
import { language } from "../words";
import { words } from "../words/all";

export const supported = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

async function subscriptionHere(): Promise<PushSubscription | null> {
  if (!supported) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Under which name Prime knows this browser. */
const DEVICE = "push-device";

/** Which of the devices this browser is. None, too, where Prime has forgotten it: it was told to, or its push service was. */
export async function deviceHere(devices: readonly Device[]): Promise<string | null> {
  const id = kept.read(DEVICE);
  return devices.some((device) => device.id === id) && (await subscriptionHere()) ? id : null;
}

export async function subscribeHere(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new Trouble("not_allowed", words().push.notAllowed, words().push.notAllowedHint, 0);
  }
  // One that Prime has forgotten may be dead.
  await (await subscriptionHere())?.unsubscribe();
  const registration = await navigator.serviceWorker.ready;
  const { key } = await accountApi.pushKey();
  const subscribing = registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
  const subscription = await subscribing.catch(() => {
    throw new Trouble("no_service", words().push.noService, words().push.noServiceHint, 0);
  });
  kept.write(DEVICE, (await tell(subscription)).id);
}

/** Notifications speak as the page does. */
const tell = (subscription: PushSubscription): Promise<Device> => accountApi.subscribe({ ...subscription.toJSON(), language: language.value });

/** The page speaks another language from now on, and so do notifications on this device. */
export async function followLanguage(): Promise<void> {
  const subscription = await subscriptionHere();
  if (subscription && (await deviceHere((await accountApi.devices()).items))) await tell(subscription);
}

export async function unsubscribeHere(): Promise<void> {
  const subscription = await subscriptionHere();
  if (!subscription) return;
  await accountApi.unsubscribe(subscription.endpoint);
  await subscription.unsubscribe();
}
