// `npm test`: sets the clone up, checks the types, runs the whole suite. Arguments go to mocha.
import { binOf, run, runMain, setup } from './setup.mjs'
import { typecheck } from './typecheck.mjs'

await runMain(async () => {
  await setup()
  process.exitCode = await typecheck()
  if (process.exitCode !== 0) return
  process.exitCode = await run(process.execPath, [binOf('mocha'), ...process.argv.slice(2)])
})
