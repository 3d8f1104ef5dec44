/** Who asks browsers for passkeys: the host and origin of the public address (Level 3 §5.4.2, §5.8.1). */
export const relyingParty = (publicUrl: string): { readonly rpID: string; readonly origin: string } => {
  const { hostname, origin } = new URL(publicUrl)
  return { rpID: hostname, origin }
}
