/** What counts where no other policy is configured. */
export const DEFAULT_POLICY = `// The policy that Reeve ships. Each policy has an @id, which decisions and audit records name.

@id("project-to-confined-servers")
@reason("The project of the session is for the local servers that the operating system confines to it.")
permit (principal is Server, action == Action::"expose_root", resource is Root)
when { resource.inProject && principal.local && principal.sandboxed && principal.known };

@id("known-servers")
@reason("A person approved this very server before.")
permit (principal is Session, action == Action::"start_server", resource is Server)
when { resource.known };

@id("tools")
@reason("A server that runs was approved, and its calls are checked against its roots.")
permit (principal is Agent, action == Action::"call_tool", resource is Server);

@id("people-grant")
@reason("Whoever may use a session may give its servers what is not of high risk.")
permit (principal is User, action == Action::"grant", resource is Root);

@id("administrators-reveal")
@reason("An administrator may see the paths behind audit records.")
permit (principal is User, action == Action::"reveal_path", resource is Session)
when { principal.administrator };

@id("ask")
@reason("A person said yes.")
permit (principal, action, resource)
when { context.approved };

@id("high-risk-needs-administrator")
@reason("A home, a system directory, a synchronised folder or a credential store needs an administrator's yes.")
forbid (principal, action in [Action::"expose_root", Action::"grant"], resource is Root)
when { resource.highRisk }
unless { context.approvedByAdministrator };

@id("remote-servers-only-for-people")
@reason("A remote server is told of a root only where a person named that root for it.")
forbid (principal is Server, action == Action::"expose_root", resource is Root)
when { !principal.local }
unless { context.initiator == "person" };

@id("remote-servers-ask")
@reason("A remote server is told of a root only with a person's yes.")
forbid (principal is Server, action == Action::"expose_root", resource is Root)
when { !principal.local }
unless { context.approved };

@id("stale-roots")
@reason("A call that may be destructive, of a server that still works with its old roots, needs a person's yes.")
forbid (principal is Agent, action == Action::"call_tool", resource is Server)
when { (context.tool.destructive || !resource.trusted) && context.staleRoots }
unless { context.approved };

@id("paths-need-administrator")
@reason("Only an administrator's yes shows the paths behind audit records.")
forbid (principal is User, action == Action::"reveal_path", resource is Session)
unless { principal.administrator || context.approvedByAdministrator };
`;
