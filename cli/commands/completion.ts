import { defineCommand } from '../program.ts'

export const completionCommand = defineCommand<{ shell: string }>({
  command: 'completion <shell>',
  describe: 'Print a script that completes commands and options in a shell',
  builder: (args) =>
    args.positional('shell', {
      type: 'string',
      demandOption: true,
      choices: ['bash', 'zsh', 'fish'],
      describe: 'The shell that reads the script',
    }),
  handler: async ({ shell }) => {
    const { completionScripts } = await import('../completion-scripts.ts')
    process.stdout.write(completionScripts[shell] ?? '')
  },
})
