// The way in for a guest: the link carries a token behind its hash, which no server sees before the person says yes.
import type { JSX } from "preact";
import { accountApi } from "../api/account";
import { BrandMark } from "../parts/Icon";
import { TroubleNote } from "../parts/TroubleNote";
import { decode } from "../state/place";
import { useAct } from "../state/useAct";
import { words } from "../words/all";

export default function Invite(): JSX.Element {
  const t = words().people;
  const token = decode(location.hash.slice(1));
  const { busy, trouble, act } = useAct();
  const comeIn = (): void =>
    void act(async () => {
      const { channelIds } = await accountApi.acceptInvite(token);
      location.replace(channelIds[0] ? `/c/${encodeURIComponent(channelIds[0])}` : "/");
    });
  return (
    <div class="door">
      <div class="door-in">
        <BrandMark size={44} />
        <h2>{t.inviteTitle}</h2>
        <p class="soft">{token ? t.inviteNote : t.noToken}</p>
        {trouble && <TroubleNote trouble={trouble} />}
        <button type="button" class="go" disabled={busy || !token} onClick={comeIn}>
          {t.comeIn}
        </button>
      </div>
    </div>
  );
}
