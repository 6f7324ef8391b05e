// The official TypeScript client goes through everything that a stream is for, and says what it
// got, as one line of JSON. It takes the URL of the endpoint.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const client = new Client(
  { name: "interop", version: "1" },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
);

const asked = [];
client.setRequestHandler("elicitation/create", async ({ params }) => {
  asked.push({ message: params.message, properties: Object.keys(params.requestedSchema.properties) });
  return params.message.startsWith("Where")
    ? { action: "accept", content: { where: "Lisbon" } }
    : { action: "accept", content: { sure: true } };
});

const heard = [];
let wake = () => {};
for (const method of ["resources/updated", "tools/list_changed"]) {
  client.setNotificationHandler(`notifications/${method}`, ({ params }) => {
    heard.push(params?.uri ? `${method} ${params.uri}` : method);
    wake();
  });
}

async function hearing(count) {
  while (heard.length < count) await new Promise((resolve) => (wake = resolve));
}

await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const said = {
  version: client.getNegotiatedProtocolVersion?.(),
  server: client.getServerVersion()?.name,
  asked,
  heard,
};

const textOf = ({ content }) => content.map(({ text }) => text).join();
said.round = textOf(await client.callTool({ name: "travel", arguments: {} }));

const progress = [];
const onprogress = ({ progress: step, total, message }) => progress.push([step, total, message]);
said.counted = textOf(await client.callTool({ name: "count", arguments: {} }, { onprogress }));
said.progress = progress;

await client.listTools();
said.mirrored = textOf(
  await client.callTool({ name: "route", arguments: { region: " é ", number: 7, fast: true } }),
);

const subscription = await client.listen({
  toolsListChanged: true,
  promptsListChanged: true,
  resourceSubscriptions: ["memo://a"],
});
said.honoured = subscription.honoredFilter;
for (const [index, uri] of ["memo://b", "memo://a", ""].entries()) {
  await client.callTool({ name: "touch", arguments: uri ? { uri } : {} });
  if (index) await hearing(index);
}
await subscription.close();
said.closed = await subscription.closed;
said.after = textOf(await client.callTool({ name: "touch", arguments: {} }));

const other = await client.listen({ toolsListChanged: true });
await client.callTool({ name: "stop", arguments: {} });
said.stopped = await other.closed;

await client.close();
console.log(JSON.stringify(said));
