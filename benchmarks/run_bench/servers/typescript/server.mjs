// Served by the TypeScript SDK: `node server.mjs APP node FD`, or `node server.mjs APP stdio`.
//
// A new server for every request is what its handler asks for; schemas are made once. It is copied
// to where its packages are installed, outside of the checkout.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import * as z from "zod";

const TEXT = 'The quick "brown" fox jumps over the lazy dog.\n'.repeat(2200).slice(0, 100_000);
const BYTES = Buffer.alloc(256 * 4096, Buffer.from(Array.from({ length: 256 }, (_, n) => n)));
const BLOB = "bench:///blob";
const STEPS = 100;
const NOTE = "note:///shared";

const [app, worker, descriptor] = process.argv.slice(2);
const text = (said) => ({ content: [{ type: "text", text: said }] });

const sum = z.object({ a: z.int(), b: z.int() });
const order = z.object({
  customer: z.object({
    name: z.string(),
    address: z.object({ street: z.string(), city: z.string(), country: z.string() }),
  }),
  items: z.array(z.object({ sku: z.string(), quantity: z.int(), price: z.int() })),
});
const who = z.object({ who: z.string() });
const search = z.object({
  query: z.string(),
  limit: z.int().default(10),
  verbose: z.boolean().default(false),
});

async function stream(ctx) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  for (let progress = 1; progress <= STEPS; progress++) {
    const params = { progressToken, progress, total: STEPS };
    await ctx.mcpReq.notify({ method: "notifications/progress", params });
  }
  return text("done");
}

function bench(server) {
  const tool = (name, description, inputSchema, call) =>
    server.registerTool(name, { description, inputSchema }, call);
  tool("add", "Add two numbers.", sum, async ({ a, b }) => text(String(a + b)));
  tool("text", "Answer with much text.", undefined, async () => text(TEXT));
  tool("order", "Add an order up.", order, async ({ items }) =>
    text(String(items.reduce((total, item) => total + item.quantity * item.price, 0))),
  );
  tool("stream", "Tell of every step.", undefined, stream);
  server.registerPrompt(
    "greet",
    { description: "Greet somebody.", argsSchema: who },
    async ({ who }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Please greet ${who}.` } }],
    }),
  );
  const mimeType = "application/octet-stream";
  server.registerResource("blob", BLOB, { mimeType }, async () => ({
    contents: [{ uri: BLOB, mimeType, blob: BYTES.toString("base64") }],
  }));
}

function list(server, count) {
  for (let n = 0; n < count; n++) {
    const config = { description: "Search for something.", inputSchema: search };
    const name = `search_${String(n).padStart(5, "0")}`;
    server.registerTool(name, config, async ({ query }) => text(query));
  }
}

function notes(server) {
  server.registerResource("note", NOTE, {}, async () => ({
    contents: [{ uri: NOTE, text: "a note" }],
  }));
  server.registerTool("touch", { description: "Change the note." }, async () => {
    handler.notify.resourceUpdated(NOTE);
    return text("touched");
  });
}

function make() {
  const capabilities = app === "notes" ? { resources: { subscribe: true } } : {};
  const server = new McpServer({ name: "bench", version: "1" }, { capabilities });
  const [kind, count] = app.split("-");
  if (kind === "list") list(server, Number(count));
  else if (kind === "notes") notes(server);
  else bench(server);
  return server;
}

let handler;

async function listener() {
  const node = await import("@modelcontextprotocol/node");
  if (app === "session") return sessions(node.NodeStreamableHTTPServerTransport);
  handler = createMcpHandler(make);
  return node.toNodeHandler(handler);
}

// Sessions are left to who serves: as its guide does it.
function sessions(Transport) {
  const transports = new Map();
  return async (req, res) => {
    let transport = transports.get(req.headers["mcp-session-id"]);
    if (transport === undefined) {
      transport = new Transport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (id) => transports.set(id, transport),
      });
      await make().connect(transport);
    }
    await transport.handleRequest(req, res);
  };
}

if (worker === "stdio") {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  serveStdio(make);
} else {
  createServer(await listener()).listen({ fd: Number(descriptor) });
}
