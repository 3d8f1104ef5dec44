#!/usr/bin/env node
import { hideBin } from 'yargs/helpers'
import { commands } from './commands.ts'
import { COMPLETE, completionLines } from './completion.ts'
import { runCli } from './program.ts'

const args = hideBin(process.argv)

if (args[0] === COMPLETE) process.stdout.write(completionLines(commands, args.slice(1)))
else
  process.exitCode = await runCli(args, commands, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  })
