import { lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { InboxScreen } from './inbox/inbox-screen.tsx';
import { RequestScreen } from './inbox/request-screen.tsx';
import { SessionsScreen } from './sessions/sessions-screen.tsx';
import { EmptyState } from './ui/empty-state.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { Loading } from './ui/loading.tsx';

const SessionScreen = lazy(() => import('./session/session-screen.tsx'));
const BoundariesScreen = lazy(() => import('./boundary/boundaries-screen.tsx'));
const BoundaryScreen = lazy(() => import('./boundary/boundary-screen.tsx'));
const ServersScreen = lazy(() => import('./servers/servers-screen.tsx'));
const AgentsScreen = lazy(() => import('./agents/agents-screen.tsx'));
const PolicyScreen = lazy(() => import('./policy/policy-screen.tsx'));
const AuditScreen = lazy(() => import('./audit/audit-screen.tsx'));

/** Which screen an address shows. What is not needed for the first one is loaded when it is opened. */
export function Screens() {
  const [location] = useLocation();
  return (
    <ErrorBoundary at={location}>
      <Suspense fallback={<Loading what="the screen" />}>
        <Switch>
          <Route path="/" component={InboxScreen} />
          <Route path="/requests/:id">{({ id }) => <RequestScreen key={id} id={id} />}</Route>
          <Route path="/sessions" component={SessionsScreen} />
          <Route path="/sessions/:id">{({ id }) => <SessionScreen key={id} id={id} />}</Route>
          <Route path="/boundaries" component={BoundariesScreen} />
          <Route path="/boundaries/:id">{({ id }) => <BoundaryScreen key={id} id={id} />}</Route>
          <Route path="/servers" component={ServersScreen} />
          <Route path="/agents" component={AgentsScreen} />
          <Route path="/policy" component={PolicyScreen} />
          <Route path="/audit" component={AuditScreen} />
          <Route>
            <EmptyState title="There is no such screen">Choose one from the navigation.</EmptyState>
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
