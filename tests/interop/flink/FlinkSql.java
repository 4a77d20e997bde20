// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ResultKind;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * Runs statements on Flink in one process: FlinkSql (batch|streaming) FILE.
 *
 * <p>FILE holds one statement after the other, each ended by a line "----". For each statement one line of JSON goes to standard output:
 * {"rows": [[text or null, …], …]} or {"error": text}; SET 'key' = 'value' is understood too. An INSERT is waited for.
 */
public final class FlinkSql {
  private static final int SLOTS = 2;

  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Configuration configuration = new Configuration();
    configuration.setString("rest.bind-port", "0");
    configuration.setString("rest.address", "127.0.0.1");
    configuration.setString("parallelism.default", Integer.toString(SLOTS));
    MiniClusterConfiguration clusterConfiguration =
        new MiniClusterConfiguration.Builder().setConfiguration(configuration).setNumTaskManagers(1).setNumSlotsPerTaskManager(SLOTS).build();
    try (MiniCluster cluster = new MiniCluster(clusterConfiguration)) {
      cluster.start();
      // One cluster for all statements: by default each would start its own.
      configuration.setString("execution.target", "remote");
      configuration.setString("execution.attached", "true");
      configuration.setString("rest.port", Integer.toString(cluster.getRestAddress().get().getPort()));
      EnvironmentSettings.Builder settings = EnvironmentSettings.newInstance().withConfiguration(configuration);
      TableEnvironment environment =
          TableEnvironment.create(arguments[0].equals("batch") ? settings.inBatchMode().build() : settings.inStreamingMode().build());
      for (String statement : Files.readString(Path.of(arguments[1])).split("(?m)^----\n")) {
        if (!statement.isBlank()) out.println(answer(environment, statement.strip()));
      }
    }
    System.exit(0); // threads of connectors may linger
  }

  private static String answer(TableEnvironment environment, String statement) {
    try {
      List<String> rows = new ArrayList<>();
      if (statement.startsWith("SET ")) {
        String[] parts = statement.split("'");
        environment.getConfig().set(parts[1], parts[3]);
      } else {
        TableResult result = environment.executeSql(statement);
        if (statement.startsWith("INSERT ")) {
          result.await();
        } else if (result.getResultKind() == ResultKind.SUCCESS_WITH_CONTENT) {
          try (CloseableIterator<Row> iterator = result.collect()) {
            while (iterator.hasNext()) rows.add(json(iterator.next()));
          }
        }
      }
      return "{\"rows\": [" + String.join(", ", rows) + "]}";
    } catch (Throwable error) {
      StringBuilder text = new StringBuilder();
      for (Throwable cause = error; cause != null; cause = cause.getCause()) text.append(cause).append("\n");
      return "{\"error\": " + json(text.toString()) + "}";
    }
  }

  private static String json(Row row) {
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < row.getArity(); i++) fields.add(row.getField(i) == null ? "null" : json(row.getField(i).toString()));
    return "[" + String.join(", ", fields) + "]";
  }

  private static String json(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }
}
