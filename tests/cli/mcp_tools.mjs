// mcp_tools.mjs STAVE FOLDER CALLS: answers to calls, a JSON array of [tool, arguments], by the protocol's own client.
// Prints an object: the tools' names and what each call gave.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [, , stave, folder, calls] = process.argv;
const client = new Client({ name: "tools", version: "1" });
await client.connect(new StdioClientTransport({
  command: stave, args: ["mcp", "--allow-record"], cwd: folder, env: process.env }));
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const answers = [];
for (const [name, parameters] of JSON.parse(calls)) {
  const result = await client.callTool({ name, arguments: parameters });
  answers.push({ name, isError: Boolean(result.isError), text: result.content.map((part) => part.text).join("\n") });
}
process.stdout.write(JSON.stringify({ tools, answers }));
await client.close();
