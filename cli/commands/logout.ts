import { defineCommand } from '../program.ts'

export const logoutCommand = defineCommand({
  command: 'logout',
  describe: 'Sign out on this computer',
  builder: (args) => args,
  handler: async () => {
    const { signOut } = await import('../client/sign-out.ts')
    const { ownCredentials } = await import('../client/own-store.ts')
    const { server, warning } = await signOut(ownCredentials())
    if (warning !== null) process.stderr.write(`svc: ${warning}\n`)
    process.stdout.write(server === null ? 'You were not signed in.\n' : `You are signed out of ${server}.\n`)
  },
})
