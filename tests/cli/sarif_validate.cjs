// sarif_validate.cjs FILE ...: what is wrong with SARIF logs by the schema of the standard's version 2.1.0, a line
// each; nothing if they are valid. ajv and the schema are @microsoft/jest-sarif's.
const fs = require("fs");
const Ajv = require("ajv");
const schema = require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");

const ajv = new Ajv({ schemaId: "auto", allErrors: true, meta: false });
ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-04.json"));
const isValid = ajv.compile(schema);

for (const file of process.argv.slice(2)) {
  if (isValid(JSON.parse(fs.readFileSync(file, "utf8")))) continue;
  for (const error of isValid.errors) console.log(`${file}: ${error.dataPath} ${error.message}`);
}
