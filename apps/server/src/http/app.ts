/** Serves requests that the gate has let in. */
export interface App {
  fetch(request: Request, bindings: AppBindings): Response | Promise<Response>;
}

/** What the app is given beside the request. */
export interface AppBindings {
  /** False only on open paths, for a caller that sent no token. */
  readonly authenticated: boolean;
}
