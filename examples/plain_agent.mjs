// An agent in plain Node, without the SDK: two endpoints are enough.
//   PRIME_DIRECTORY_URL=http://127.0.0.1:8787 AGENT_NAME=Scout AGENT_CAPABILITIES=web-research node plain_agent.mjs
import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";

const port = Number(process.env.AGENT_PORT ?? 9100);
const name = process.env.AGENT_NAME ?? "Scout";
const capabilities = (process.env.AGENT_CAPABILITIES ?? "web-research").split(",");
const endpoint = process.env.AGENT_PUBLIC_URL ?? `http://127.0.0.1:${port}`;
const directory = process.env.PRIME_DIRECTORY_URL;
const MAX_BODY = 1024 * 1024;
const proofKey = randomBytes(32).toString("hex");

/** Shows the directory that this agent is the one that registers there, and not somebody who named its address. */
function answerTo(challenge) {
  const proof = directory && createHmac("sha256", proofKey).update(`${challenge}\n${new URL(directory).host}`).digest("hex");
  return proof ? { challenge, proof } : { challenge };
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error("too large");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, endpoint);
  if (request.method === "GET" && url.pathname === "/.well-known/prime-agent.json") {
    const challenge = url.searchParams.get("challenge");
    send(response, 200, {
      protocol: "prime-message/0.1", id: "scout", name, tier: "external", kind: "agent", capabilities,
      endpoints: { message: "/prime/message" }, ...(challenge ? answerTo(challenge) : {}),
    });
  } else if (request.method === "POST" && url.pathname === "/prime/message") {
    try {
      const message = await readBody(request);
      send(response, 200, { type: "reply", text: `${name} heard: ${String(message.text).slice(0, 1000)}` });
    } catch {
      send(response, 400, { error: { code: "invalid_input", message: "Send JSON with a text." } });
    }
  } else {
    send(response, 404, { error: { code: "not_found", message: "There is nothing here." } });
  }
});

let me = null;

async function post(path, body) {
  const answer = await fetch(`${directory}/api/directory/${path}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

async function alive() {
  return me !== null && (await post("heartbeat", { agentId: me.agentId, token: me.token })).status === 200;
}

async function beat() {
  try {
    if (await alive()) return;
    const registered = await post("register", { name, kind: "custom", capabilities, endpoint, proofKey });
    me = registered.status === 200 ? registered.body : null;
    await alive();
  } catch (error) {
    console.error(`the directory does not answer: ${error.message}`);
  }
}

server.listen(port, "127.0.0.1", async () => {
  console.log(`${name} is at ${endpoint}`);
  if (directory) {
    await beat();
    setInterval(beat, 60_000).unref();
  }
});

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
}
