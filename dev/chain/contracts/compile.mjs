// Compiles the contracts of the development chain and writes one artifact each.
//
//   node compile.mjs           write artifacts/*.json
//   node compile.mjs --check   compile again and compare, byte for byte; exit 1 on a difference
//
// The compiler is the pinned npm package, so that the same sources give the same
// bytes on every machine; metadata is left out of the code for the same reason.
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const solc = createRequire(import.meta.url)('solc');
const here = dirname(fileURLToPath(import.meta.url));
const artifactsDir = join(here, 'artifacts');

const settings = {
  evmVersion: 'prague',
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
};

function compile() {
  const names = readdirSync(here).filter((name) => name.endsWith('.sol')).sort();
  const sources = Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(join(here, name), 'utf8') }]),
  );
  const outputSelection = {
    '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'storageLayout'] },
  };
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const messages = output.errors ?? [];
  if (messages.length > 0) {
    // Warnings fail too: there is no one to read them later.
    throw new Error(messages.map((message) => message.formattedMessage).join('\n'));
  }
  return artifacts(output.contracts);
}

function artifacts(contracts) {
  const files = new Map();
  for (const [source, bySource] of Object.entries(contracts)) {
    for (const [name, contract] of Object.entries(bySource)) {
      if (contract.evm.deployedBytecode.object === '') continue; // an interface
      const artifact = {
        contractName: name,
        source,
        compiler: { name: 'solc', version: solc.version(), settings },
        abi: contract.abi,
        bytecode: `0x${contract.evm.bytecode.object}`,
        deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
        storageLayout: storageLayout(contract.storageLayout),
      };
      files.set(`${name}.json`, `${JSON.stringify(artifact, null, 2)}\n`);
    }
  }
  return files;
}

// The syntax tree's ids say nothing to a reader and change with every edit.
function storageLayout(layout) {
  return layout.storage.map(({ label, slot, offset, type }) => ({ label, slot, offset, type }));
}

function write(files) {
  rmSync(artifactsDir, { recursive: true, force: true });
  mkdirSync(artifactsDir, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(artifactsDir, name), text);
  console.log(`wrote ${files.size} artifacts with solc ${solc.version()}`);
}

function check(files) {
  const differences = [];
  const committed = new Set(readdirSync(artifactsDir));
  for (const [name, text] of files) {
    if (!committed.delete(name)) differences.push(`${name} is missing`);
    else if (readFileSync(join(artifactsDir, name), 'utf8') !== text) differences.push(`${name} differs`);
  }
  for (const name of committed) differences.push(`${name} has no source`);
  if (differences.length === 0) {
    console.log(`${files.size} artifacts match their sources`);
    return;
  }
  console.error(`${differences.join('\n')}\nrun "npm run compile" in dev/chain/contracts and commit the result`);
  process.exitCode = 1;
}

const unknown = process.argv.slice(2).filter((argument) => argument !== '--check');
if (unknown.length > 0) throw new Error(`unknown argument ${unknown.join(' ')}; the only one is --check`);
const files = compile();
if (process.argv.includes('--check')) check(files);
else write(files);
