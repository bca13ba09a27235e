// Installs the built package in a new folder, as a user does, with these tests: node install.mjs FOLDER. The folder also
// gets what the tests use, by links to this folder's packages.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
const dir = resolve(process.argv[2]);
const npm = (cwd, ...args) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", 2] }).trim();

mkdirSync(dir, { recursive: true });
writeFileSync(join(dir, "package.json"), '{ "private": true, "type": "module" }\n');
const tarball = npm(join(here, ".."), "pack", "--silent", "--pack-destination", dir).split("\n").at(-1);
npm(dir, "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", `./${tarball}`);
for (const name of ["esbuild", "viem", "workerd"]) symlinkSync(join(here, "node_modules", name), join(dir, "node_modules", name));
for (const name of readdirSync(here)) if (/\.(mjs|ts)$/.test(name)) cpSync(join(here, name), join(dir, name));
cpSync(join(here, "../README.md"), join(dir, "README.md"));
