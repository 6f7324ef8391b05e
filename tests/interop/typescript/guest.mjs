// The official TypeScript client does something at a server, and says what it got, as one line of
// JSON. It takes what to do, the URL of the endpoint, its own name, and "auto" or "legacy".

import { once } from "node:events";

import {
  Client,
  LOG_LEVEL_META_KEY,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

const [command, url, name, mode] = process.argv.slice(2);
const own = `memo://${name}`;
const shared = "memo://everybody";

const client = new Client(
  { name, version: "1" },
  { capabilities: { elicitation: { form: {} }, sampling: {} }, versionNegotiation: { mode } },
);

let wake = () => {};

// Wait for something that one of the handlers brings about.
async function until(holds) {
  while (!holds()) await new Promise((resolve) => (wake = resolve));
}

const asked = [];
client.setRequestHandler("elicitation/create", async ({ params }) => {
  const fields = Object.keys(params.requestedSchema.properties);
  asked.push([params.message, fields]);
  return { action: "accept", content: fields.includes("who") ? { who: name } : { sure: true } };
});
client.setRequestHandler("sampling/createMessage", async ({ params }) => {
  asked.push([params.messages[0].content.text, params.maxTokens]);
  return { role: "assistant", content: { type: "text", text: `O ${name}` }, model: "poet" };
});

const heard = [];
const logged = [];
client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
  heard.push(params.uri);
  wake();
});
client.setNotificationHandler("notifications/tools/list_changed", () => {
  heard.push("tools");
  wake();
});
client.setNotificationHandler("notifications/message", ({ params }) => {
  logged.push([params.level, params.logger ?? null, params.data]);
  wake();
});

// The methods of HTTP but POST, and how they were answered.
const exchanged = [];
const transport = new StreamableHTTPClientTransport(new URL(url), {
  fetch: async (target, init) => {
    const response = await fetch(target, init);
    if (init.method !== "POST") exchanged.push([init.method, response.status]);
    wake();
    return response;
  },
});

const textOf = ({ content }) => content.map(({ text }) => text).join();
const call = (tool, args = {}, _meta = undefined, options = undefined) =>
  client.callTool({ name: tool, arguments: args, ...(_meta && { _meta }) }, options);
const namesOf = (items) => items.map((item) => item.name);
const read = async (uri) => (await client.readResource({ uri })).contents[0].text;

const called = (what) => exchanged.some(([method, status]) => method === what && status === 200);

// Everything that a server is for.
async function visit() {
  const { name: server, version } = client.getServerVersion();
  const said = {
    version: client.getNegotiatedProtocolVersion(),
    server: [server, version, client.getInstructions()],
    session: transport.sessionId ?? null,
  };

  let subscription;
  if (mode === "legacy") {
    await client.setLoggingLevel("debug");
    for (const uri of [own, shared]) await client.subscribeResource({ uri });
  } else {
    subscription = await client.listen({
      toolsListChanged: true,
      resourceSubscriptions: [own, shared],
    });
  }

  said.met = textOf(await call("meet"));
  await until(() => heard.includes(shared));

  said.tools = namesOf((await client.listTools()).tools);
  said.prompts = namesOf((await client.listPrompts()).prompts);
  said.resources = (await client.listResources()).resources.map(({ uri }) => uri);
  said.templates = (await client.listResourceTemplates()).resourceTemplates.map(
    ({ uriTemplate }) => uriTemplate,
  );

  const greeted = await call("greet", { who: name });
  const failed = await call("greet", { who: "" });
  said.greeted = [greeted.structuredContent, textOf(greeted), greeted.isError ?? false];
  said.failed = [textOf(failed), failed.isError];
  const invited = await client.getPrompt({ name: "invitation", arguments: { who: name } });
  said.invited = [invited.description, ...invited.messages.map(({ content }) => content.text)];
  said.motto = await read("house://motto");

  said.composed = textOf(await call("compose"));
  said.asked = asked.sort();

  const steps = [];
  const meta = mode === "legacy" ? undefined : { [LOG_LEVEL_META_KEY]: "debug" };
  const onprogress = ({ progress, total, message }) => steps.push([progress, total, message]);
  said.counted = textOf(await call("count", {}, meta, { onprogress }));
  await until(() => logged.length === 4);
  said.progress = steps;
  said.logged = logged;

  await call("write", { name, text: `by ${name}` });
  await until(() => heard.includes(own));
  said.memo = await read(own);

  // The others change the list, too.
  const changes = () => heard.filter((each) => each === "tools").length;
  const before = changes();
  await call("initiate");
  await until(() => changes() > before);
  said.more_tools = namesOf((await client.listTools()).tools);
  said.secret = textOf(await call("secret"));
  said.heard = [...new Set(heard)].sort();
  said.identified = textOf(await call("identify"));
  await subscription?.close();
  return said;
}

// Call a tool that leaves its stream, and then read that stream again from its first event on.
async function resume() {
  const tokens = [];
  const steps = [];
  const options = {
    onprogress: ({ progress, total, message }) => steps.push([progress, total, message]),
    onresumptiontoken: (token) => tokens.push(token),
  };
  const answers = [textOf(await call("leave", {}, undefined, options))];
  const progress = [...steps];
  const again = { ...options, resumptionToken: tokens[0] };
  answers.push(textOf(await call("leave", {}, undefined, again)));
  return { answers, progress };
}

// Call a tool before and after the server has been started anew: whoever has started this says
// when, by a line.
async function outlive() {
  console.log(textOf(await call("greet")));
  await once(process.stdin, "data");
  try {
    return textOf(await call("greet"));
  } catch (error) {
    return [error.constructor.name, error.status ?? error.code, error.message];
  }
}

// Only agree on a revision.
async function agree() {
  return { version: client.getNegotiatedProtocolVersion() };
}

try {
  await client.connect(transport);
} catch (error) {
  console.log(JSON.stringify({ refused: [error.constructor.name, error.message] }));
  process.exit();
}
if (transport.sessionId) await until(() => called("GET"));
const said = await { visit, resume, outlive, agree }[command]();
if (transport.sessionId) await transport.terminateSession().catch(() => {});
await client.close();
console.log(JSON.stringify(command === "outlive" ? said : { ...said, exchanged }));
process.exit();
