#!/usr/bin/env node
import { hideBin } from 'yargs/helpers'
import { commands } from './commands.ts'
import { runCli } from './program.ts'

process.exitCode = await runCli(hideBin(process.argv), commands, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
