import type { JSX } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { HUB } from "../api/types";
import { byId } from "../state/channels";
import { dialog } from "../state/dialogs";
import { isGuest, isNobody } from "../state/me";
import { isDoor, openChannelId, openView, place } from "../state/place";
import { waitingCount } from "../state/waiting";
import { words } from "../words";
import { ChannelList } from "./ChannelList";
import { Lazy, laterView } from "./Lazy";
import { Middle } from "./Middle";
import { Notices } from "./Notices";
import { OpenBanner } from "./OpenBanner";
import { PauseBanner } from "./PauseBanner";
import { onKey } from "./shortcuts";
import { Palette } from "./Palette";
import { Rail } from "./Rail";
import { StatusStrip } from "./StatusStrip";
import { Tabs } from "./Tabs";
import { Waiting } from "./Waiting";

const about = laterView("about");
const closeChannel = laterView("closeChannel");
const keepCourse = laterView("keepCourse");
const contextPreview = laterView("context");
const shortcutList = laterView("shortcutList");
const newChannel = laterView("newChannel");
const publishForm = laterView("publish");
const channelDetails = laterView("channelDetails");
const courses = laterView("courses");
const eraseForm = laterView("erase");

function OpenDialog(): JSX.Element | null {
  switch (dialog.value) {
    case "palette":
      return <Palette />;
    case "shortcuts":
      return <Lazy key="keys" load={shortcutList} />;
    case "new-channel":
      return <Lazy key="new" load={newChannel} />;
    case "about":
      return <Lazy key="about" load={about} />;
    case "close-channel":
      return <Lazy key="close" load={closeChannel} />;
    case "keep-course":
      return <Lazy key="keep" load={keepCourse} />;
    case "context":
      return <Lazy key="context" load={contextPreview} />;
    case "publish":
      return <Lazy key="publish" load={publishForm} />;
    case "channel":
      return <Lazy key="channel" load={channelDetails} />;
    case "courses":
      return <Lazy key="courses" load={courses} />;
    case "erase":
      return <Lazy key="erase" load={eraseForm} />;
    case null:
      return null;
  }
}

function useTitle(): void {
  const t = words();
  const id = openChannelId.value;
  const view = openView.value;
  const name = view ? t.placeName[view] : id === HUB ? t.prime : (byId.value.get(id)?.name ?? t.prime);
  const count = waitingCount();
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${name === t.prime ? t.prime : `${name} · ${t.prime}`}`;
  }, [name, count]);
}

/** For somebody who is not in yet there is only the way in. */
function Door(): JSX.Element {
  return (
    <>
      <main class="panes door-pane">
        <h1 class="sr">{words().prime}</h1>
        <Middle />
      </main>
      <Notices />
    </>
  );
}

export function App(): JSX.Element {
  useTitle();
  // With the first drawing: a key that is pressed as soon as there is something to see must not be lost.
  useLayoutEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  if (isDoor() || isNobody.value) return <Door />;
  return (
    <>
      <a class="skip" href="#conversation">
        {words().skip}
      </a>
      <StatusStrip />
      <OpenBanner />
      <PauseBanner />
      <div class={`frame ${openView.value ? "with-view" : ""}`}>
        {!isGuest.value && <Rail />}
        <main class={`panes ${isGuest.value ? "guest" : ""}`} data-view={openView.value ? "view" : place.value.view}>
          <h1 class="sr">{words().prime}</h1>
          {!openView.value && <ChannelList />}
          <Middle />
          {!isGuest.value && <Waiting />}
        </main>
      </div>
      <Tabs />
      <OpenDialog />
      <Notices />
    </>
  );
}
