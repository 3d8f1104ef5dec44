// `npm test`: sets the clone up, checks the types, runs the whole suite. Arguments go to mocha; a file narrows the suite.
import { binOf, run, runMain, setup } from './setup.mjs'
import { typecheck } from './typecheck.mjs'

await runMain(async () => {
  await setup()
  process.exitCode = await typecheck()
  if (process.exitCode !== 0) return
  const args = process.argv.slice(2)
  const files = args.some((arg) => arg.endsWith('.spec.ts')) ? [] : ['tests/**/*.spec.ts']
  process.exitCode = await run(process.execPath, [binOf('mocha'), ...args, ...files])
})
