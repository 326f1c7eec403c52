"""Tables of the network; all operational. Tokens are kept as hashes."""

from sqlalchemy import BigInteger, Column, Connection, Index, Integer, insert, inspect, select

from prime.store.migrations import Migration
from prime.store.tables import CodePointText, metadata, table

directory_agent = table(
    "directory_agent",
    "operational",
    Column("id", CodePointText, primary_key=True),
    Column("number", BigInteger, nullable=False, unique=True),  # the order of registration; cursors use it
    Column("name", CodePointText, nullable=False),
    Column("kind", CodePointText, nullable=False),
    Column("capabilities", CodePointText, nullable=False),
    Column("endpoint", CodePointText, nullable=False, unique=True),
    Column("owner", CodePointText, nullable=False),
    Column("token_hash", CodePointText, nullable=False),
    Column("tier", CodePointText, nullable=False),  # given by the owner of this instance, never by the agent
    Column("registered_at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),  # by the database's clock: replicas follow it
    Column("removed_at", BigInteger),
    Column("seen_at", BigInteger),
    Column("answered_at", BigInteger),
    Column("vouched_at", BigInteger),  # when who has the token proved to be it, or the owner said so
    Index("directory_by_change", "changed_at"),
)

# Which channel a conversation is: (whose, thread) -> channel and the actor who speaks there.
network_thread = table(
    "network_thread",
    "operational",
    Column("scope", CodePointText, primary_key=True),
    Column("thread_id", CodePointText, primary_key=True),
    Column("channel_id", CodePointText, nullable=False, unique=True),
    Column("actor_id", CodePointText, nullable=False),
    Column("agent_id", CodePointText),
    Column("created_at", BigInteger, nullable=False),
)

network_task = table(
    "network_task",
    "operational",
    Column("id", CodePointText, primary_key=True),
    Column("scope", CodePointText, nullable=False),
    Column("context_id", CodePointText, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("protocol", CodePointText, nullable=False),
    Column("state", CodePointText, nullable=False),
    Column("error", CodePointText),
    Column("callback_url", CodePointText),
    Column("callback_key", CodePointText),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("network_task_by_state", "state", "updated_at"),
    Index("network_task_by_scope", "scope", "updated_at"),
)

# One message of a task: where it stands in the log, and where its answer does.
network_turn = table(
    "network_turn",
    "operational",
    Column("task_id", CodePointText, primary_key=True),
    Column("message_id", CodePointText, primary_key=True),
    Column("scope", CodePointText, nullable=False),
    Column("place", Integer, nullable=False),
    Column("said_id", CodePointText, nullable=False),
    Column("sender_name", CodePointText, nullable=False),
    Column("answer_id", CodePointText),
    Index("network_turn_by_task", "task_id", "place"),
    Index("network_turn_by_message", "scope", "message_id"),
)

# A message that was sent out and whose answer is awaited at /api/agent-callback.
network_call = table(
    "network_call",
    "operational",
    Column("token_hash", CodePointText, primary_key=True),
    Column("message_id", CodePointText, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("actor_id", CodePointText, nullable=False),
    Column("agent_id", CodePointText),
    Column("task_id", CodePointText),
    Column("signing_key", CodePointText),
    Column("delivery_id", CodePointText),
    Column("created_at", BigInteger, nullable=False),
    Column("used_at", BigInteger),
    Index("network_call_by_message", "message_id"),
)


def _first(connection: Connection) -> None:
    metadata.create_all(
        connection,
        tables=[directory_agent, network_thread, network_task, network_turn, network_call],
        checkfirst=False,
    )


def _turns_by_task(connection: Connection) -> None:
    """A message id names one message within a task; at first it did so within all that a caller ever said."""
    if inspect(connection).get_pk_constraint(network_turn.name)["constrained_columns"][0] == "task_id":
        return
    turns = [dict(row) for row in connection.execute(select(network_turn)).mappings()]
    network_turn.drop(connection)
    network_turn.create(connection, checkfirst=False)
    if turns:
        connection.execute(insert(network_turn), turns)


def _vouched(connection: Connection) -> None:
    """Who registered before there were proofs has shown none."""
    columns = {column["name"] for column in inspect(connection).get_columns(directory_agent.name)}
    if "vouched_at" not in columns:
        connection.exec_driver_sql(f"ALTER TABLE {directory_agent.name} ADD COLUMN vouched_at BIGINT")


NETWORK_MIGRATIONS = (
    Migration("network/1", _first),
    Migration("network/2", _turns_by_task),
    Migration("network/3", _vouched),
)
