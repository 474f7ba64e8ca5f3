// mcp_agent.mjs STAVE FOLDER: what an assistant would do with the archives in a folder, by the protocol's own client.
// Prints an object: the tools, and of each archive the cause and place that were found, with how many calls and words.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [, , stave, folder] = process.argv;
// What is not of the program itself.
const OTHERS = ["other programs", "hypervisor", "quota", "stopped", "binding", "own threads", "oversubscription"];

const client = new Client({ name: "agent", version: "1" });
await client.connect(new StdioClientTransport({ command: stave, args: ["mcp"], cwd: folder }));
const tools = (await client.listTools()).tools;

let calls = 0;
let words = 0;

async function call(name, parameters) {
  const result = await client.callTool({ name, arguments: parameters });
  const text = result.content.map((part) => part.text).join("\n");
  calls += 1;
  words += text.split(/\s+/).length;
  if (result.isError) throw new Error(`${name}: ${text}`);
  return text;
}

const found = {};
for (const line of (await call("list_archives", {})).trim().split("\n")) {
  const archive = line.split("  ")[0];
  [calls, words] = [1, 0]; // list_archives is one of the calls
  const findings = (await call("findings", { archive })).split("\n");
  const first = findings.find((text) => /^\d+\. /.test(text) && !OTHERS.some((other) => text.includes(`. ${other}: `)));
  if (!first) {
    found[archive] = { cause: "", findings };
    continue;
  }
  const [, number, cause] = first.match(/^(\d+)\. (.*?): up to /);
  const explanation = await call("explain", { archive, finding: Number(number) });
  const place = first.match(/\[(.*):(\d+)\]/);
  const source = place ? await call("source", { archive, file: place[1], line: Number(place[2]) }) : "";
  await call("query", { archive, sql: "SELECT thread, count(*) AS n FROM regions GROUP BY thread" });
  found[archive] = {
    cause, calls, words, line: place ? Number(place[2]) : 0,
    advice: /^advice: ./m.test(explanation), marked: source.split("\n").find((text) => text.startsWith(">")) ?? "",
  };
}
process.stdout.write(JSON.stringify({ tools: tools.map((tool) => tool.name), found }));
await client.close();
