/** The audit action names for changes made over SCIM. */
const scimActions: ReadonlyMap<string, string> = new Map([
  ['user.invite', 'scim.user.create'],
  ['user.update', 'scim.user.update'],
  ['user.suspend', 'scim.user.suspend'],
  ['user.reactivate', 'scim.user.reactivate'],
  ['user.delete', 'scim.user.delete'],
  ['group.create', 'scim.group.create'],
  ['group.update', 'scim.group.update'],
  ['group.delete', 'scim.group.delete'],
  ['group.member.add', 'scim.group.member.add'],
  ['group.member.remove', 'scim.group.member.remove'],
])

/** Returns the SCIM name of an action if the actor is a directory; unchanged if there is no such name. */
export const asScimAction = (action: string): string => scimActions.get(action) ?? action
